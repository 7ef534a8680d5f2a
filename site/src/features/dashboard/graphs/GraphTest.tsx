import { useEffect, useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { type GraphDraft, graphTest, graphTestPicture, testGraph } from '#backend/operators/contract.ts'
import { addressOf, call } from '../../../api/api.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { reasonOf } from './reasonOf.ts'

interface GraphTestProps {
  readonly draft: z.input<typeof GraphDraft>
  readonly resolution: string
  readonly seconds: number
  /** Whether everything is bound that a render needs. */
  readonly isReady: boolean
}

const POLL_MS = 1_500
type Shown =
  | { readonly kind: 'none' | 'starting' | 'waiting' | 'rendering' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'finished'; readonly picture: string }

/** Renders one video with the draft, and shows a picture of it. */
export function GraphTest({ draft, resolution, seconds, isReady }: GraphTestProps) {
  const t = translate()
  const [prompt, setPrompt] = useState(t('dashboard.graphs.testPrompt'))
  const [shown, setShown] = useState<Shown>({ kind: 'none' })
  const isBusy = shown.kind === 'starting' || shown.kind === 'waiting' || shown.kind === 'rendering'
  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])
  const run = async () => {
    setShown({ kind: 'starting' })
    const { output, fps } = draft
    try {
      const { test_id: id } = await call(testGraph, { body: { ...draft, prompt, resolution, seconds } })
      for (;;) {
        const { state, detail } = await call(graphTest, { params: { id }, query: { output } })
        if (left.current) return
        if (state === 'finished')
          return setShown({ kind: 'finished', picture: addressOf(graphTestPicture.path, { id }, { output, fps }) })
        if (state === 'failed') return setShown({ kind: 'failed', reason: detail ?? '' })
        setShown({ kind: state })
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    } catch (error) {
      setShown({ kind: 'failed', reason: reasonOf(error) })
    }
  }
  return (
    <div className="stack gap-3">
      <Field
        label={t('dashboard.graphs.testLabel')}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
      />
      <div className="row">
        <Button
          variant="outline"
          icon="play"
          label={t('dashboard.graphs.test')}
          busy={isBusy}
          disabled={!isReady}
          onClick={() => void run()}
        />
        <span className="hint" role="status">
          {isBusy && t(`dashboard.graphs.testState.${shown.kind}`)}
          {shown.kind === 'finished' && t('dashboard.graphs.testState.finished')}
        </span>
      </div>
      <div role="alert">{shown.kind === 'failed' && <Notice tone="danger">{shown.reason}</Notice>}</div>
      {shown.kind === 'finished' && (
        <img className="board-graph-picture rounded" src={shown.picture} alt={t('dashboard.graphs.testPicture')} />
      )}
    </div>
  )
}
