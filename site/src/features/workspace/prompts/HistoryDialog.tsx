import { useEffect, useState } from 'react'
import { listTasks, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../../api/api.ts'
import { translate } from '../../../i18n/client.ts'
import { movementNames, movementSeparator, writePrompt } from '../../../i18n/movements.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { setPrompt } from '../generation.ts'

/** Tasks that are looked through for prompts. */
const MOST = 100
const textOfTask = ({ prompt, camera_movements: movements }: Task) =>
  writePrompt(prompt, movements, movementNames(), movementSeparator())

/** The prompts of earlier videos, newest first and each once. One fills the prompt. */
export function HistoryDialog({ onClose }: { readonly onClose: () => void }) {
  const t = translate()
  const [prompts, setPrompts] = useState<readonly string[] | 'failed'>()
  const [sought, setSought] = useState('')
  useEffect(() => {
    call(listTasks, { query: { page: 1, per_page: MOST } }).then(
      ({ tasks }) => setPrompts([...new Set(tasks.filter(({ prompt }) => prompt).map(textOfTask))]),
      () => setPrompts('failed'),
    )
  }, [])
  const take = (prompt: string) => {
    onClose()
    setPrompt(prompt)
    document.getElementById('prompt')?.focus()
  }
  const shown =
    typeof prompts === 'object' ? prompts.filter((prompt) => prompt.toLowerCase().includes(sought.toLowerCase())) : []
  return (
    <Dialog title={t('workspace.prompts.history')} size={600} onClose={onClose}>
      <Field
        label={t('workspace.prompts.search')}
        value={sought}
        onChange={({ currentTarget }) => setSought(currentTarget.value)}
      />
      <ul className="stack prompt-history" aria-busy={prompts === undefined || undefined}>
        {shown.map((prompt) => (
          <li key={prompt}>
            <button type="button" className="button button-quiet button-wide anywhere" onClick={() => take(prompt)}>
              {prompt}
            </button>
          </li>
        ))}
      </ul>
      <div role="status">
        {typeof prompts === 'object' && shown.length === 0 && <p className="muted">{t('workspace.prompts.none')}</p>}
        {prompts === 'failed' && <Notice tone="danger">{t('workspace.queue.loadFailed')}</Notice>}
      </div>
    </Dialog>
  )
}
