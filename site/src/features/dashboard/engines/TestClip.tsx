import { useEffect, useRef, useState } from 'react'
import { engineTest, engineTestClip, type PricedModel, testEngine } from '#backend/operators/contract.ts'
import { addressOf, call } from '../../../api/api.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Select } from '../../../ui/Select.tsx'
import { reasonOf } from '../graphs/reasonOf.ts'

const POLL_MS = 1_500

/** Makes a clip. Returns its address, or why there is none; neither once the page has been left. */
async function make(model: string, prompt: string, isLeft: () => boolean) {
  const { test_id: id } = await call(testEngine, { body: { model, prompt } })
  for (;;) {
    const { state, detail } = await call(engineTest, { params: { id } })
    if (isLeft()) return { clip: '', problem: '' }
    if (state === 'finished') return { clip: addressOf(engineTestClip.path, { id }), problem: '' }
    if (state === 'failed') return { clip: '', problem: detail ?? '' }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Returns whether the component was removed, as a reference. */
function useLeft() {
  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])
  return left
}

/** Makes a clip with a model, and shows it. */
export function TestClip({ models }: { readonly models: readonly PricedModel[] }) {
  const t = translate()
  const [model, setModel] = useState('')
  const [prompt, setPrompt] = useState(t('dashboard.engines.testPrompt'))
  const [clip, setClip] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const left = useLeft()
  const chosen = models.find(({ id }) => id === model) ?? models[0]
  const run = async () => {
    if (!chosen) return
    setBusy(true)
    setProblem('')
    setClip('')
    try {
      const made = await make(chosen.id, prompt, () => left.current)
      setClip(made.clip)
      setProblem(made.problem)
    } catch (error) {
      setProblem(reasonOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="stack gap-3">
      <div className="board-graph-fields">
        <Select
          label={t('dashboard.engines.model')}
          value={chosen?.id ?? ''}
          choices={models.map(({ id, names }) => ({ value: id, label: names[pageLocale()] }))}
          onChoose={setModel}
        />
        <Field
          label={t('dashboard.engines.testLabel')}
          value={prompt}
          onChange={({ target }) => setPrompt(target.value)}
        />
      </div>
      <div className="row">
        <Button
          variant="outline"
          icon="play"
          label={t('dashboard.engines.test')}
          busy={busy}
          onClick={() => void run()}
        />
        <span className="hint" role="status">
          {busy && t('dashboard.engines.testing')}
          {clip && t('dashboard.engines.tested')}
        </span>
      </div>
      <div role="alert">{problem && <Notice tone="danger">{problem}</Notice>}</div>
      {clip && (
        // biome-ignore lint/a11y/useMediaCaption: a test has no captions.
        <video
          className="board-graph-picture rounded"
          src={clip}
          controls
          playsInline
          aria-label={t('dashboard.engines.tested')}
        />
      )}
    </div>
  )
}
