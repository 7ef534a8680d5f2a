import { useStore } from '@nanostores/react'
import { type SubmitEvent, useEffect, useRef } from 'react'
import type { TaskType } from '#backend/tasks/contract.ts'
import { $models } from '../../api/models.ts'
import { translate } from '../../i18n/client.ts'
import { Icon } from '../../ui/Icon.tsx'
import { SwitchField } from '../../ui/SwitchField.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Images } from './frames/Images.tsx'
import { $blocked } from './generate/blocked.ts'
import { GenerateBar } from './generate/GenerateBar.tsx'
import { stopWatching } from './generate/watched.ts'
import { $faults, $generation, setMode, setOptimizer, setQuick } from './generation.ts'
import { hasQuick, offeredTypes, quickModel } from './generationRules.ts'
import { MovementsField } from './movements/MovementsField.tsx'
import { OptionFields } from './options/OptionFields.tsx'
import { Pickers } from './Pickers.tsx'
import { PromptField } from './PromptField.tsx'
import { submit } from './submission.ts'
import { UnderstandingNote } from './understanding/UnderstandingNote.tsx'
import { $canOptimize } from './workspace.ts'

function focusFault(form: HTMLElement | null): void {
  const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]')
  // A field in closed details takes no focus.
  field?.closest('details')?.setAttribute('open', '')
  field?.focus()
}

/** Form that creates a video task. Focuses the first invalid field. */
export function GenerationForm() {
  const t = translate()
  const form = useRef<HTMLFormElement>(null)
  const { taskType, promptOptimizer } = useStore($generation)
  const faults = useStore($faults)
  const models = useStore($models)
  const canOptimize = useStore($canOptimize)
  useEffect(() => {
    if (Object.keys(faults).length > 0) focusFault(form.current)
  }, [faults])
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Its description says why nothing is sent.
    if ($blocked.get()) event.currentTarget.querySelector<HTMLElement>('[type="submit"]')?.focus()
    void submit()
  }
  const model = quickModel(taskType)
  return (
    <form
      className="stack stack-wide panel card generation"
      ref={form}
      onSubmit={onSubmit}
      onFocus={(event) => {
        if (!event.target.closest('.generate-bar')) stopWatching()
      }}
      noValidate
      aria-labelledby="form-heading"
    >
      <h2 id="form-heading" className="panel-title">
        {t('workspace.form.heading')}
      </h2>
      <Tabs<TaskType>
        label={t('workspace.form.mode')}
        value={taskType}
        onChange={setMode}
        options={offeredTypes(models).map((value) => ({
          value,
          label: t(value === 'text_to_video' ? 'workspace.form.text' : 'workspace.form.image'),
        }))}
      >
        {hasQuick(taskType) && (
          <button type="button" className="row quick rounded" onClick={setQuick}>
            <Icon name="bolt" />
            <strong>{t('workspace.form.quick')}</strong>{' '}
            <span className="muted">{t('workspace.form.quickText', { model })}</span>
          </button>
        )}
        <Images />
        <PromptField />
        <UnderstandingNote />
        <div className="form-pair">
          <MovementsField />
          <SwitchField
            id="optimizer"
            label={t('workspace.form.optimizer')}
            hint={t(canOptimize ? 'workspace.form.optimizerHint' : 'workspace.form.optimizerIgnored')}
            on={canOptimize && promptOptimizer}
            disabled={!canOptimize}
            onChange={setOptimizer}
          />
        </div>
        <Pickers />
        <OptionFields />
      </Tabs>
      <GenerateBar />
    </form>
  )
}
