import { useStore } from '@nanostores/react'
import { type ChangeEvent, useId, useState } from 'react'
import { inspectGraph } from '#backend/operators/contract.ts'
import { type Answer, call } from '../../../api/api.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { graphs } from '../board.ts'
import { May } from '../May.tsx'
import { Panel } from '../Panel.tsx'
import { reasonOf } from './reasonOf.ts'

type Proposal = Answer<typeof inspectGraph>

/** Lists the graphs of the ComfyUI server, and sets up new ones. Shows nothing without a server. */
export function Graphs() {
  const t = translate()
  const { data } = useStore(graphs.$section)
  if (!data?.available) return null
  return (
    <Panel name="graphs" section={graphs}>
      {({ ok, detail, graphs: known }) => (
        <>
          {known.length > 0 && (ok ? <p className="hint">{detail}</p> : <Notice tone="warning">{detail}</Notice>)}
          {known.length === 0 ? (
            <p className="board-none stack gap-3">{t('dashboard.graphs.none')}</p>
          ) : (
            <ul className="board-graph-list">
              {known.map(({ id, names }) => (
                <li key={id}>
                  {names[pageLocale()]} <code>{id}</code>
                </li>
              ))}
            </ul>
          )}
          <May call={inspectGraph}>
            <SetUp />
          </May>
        </>
      )}
    </Panel>
  )
}

/** Reads a workflow, and shows what is proposed for it. */
function SetUp() {
  const t = translate()
  const [id, hint] = [useId(), useId()]
  const [proposal, setProposal] = useState<Proposal>()
  const [fault, setFault] = useState('')
  const [busy, run] = useBusy()
  const [part, setPart] = useState<typeof import('./GraphForm.tsx')>()
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) =>
    run(async () => {
      const file = target.files?.[0]
      if (!file) return
      setFault('')
      try {
        const workflow = JSON.parse(await file.text())
        setProposal(await call(inspectGraph, { body: { workflow } }))
        setPart(await import('./GraphForm.tsx'))
      } catch (error) {
        setProposal(undefined)
        setFault(error instanceof SyntaxError ? t('dashboard.graphs.notJson') : reasonOf(error))
      }
      // The same file can be chosen again.
      target.value = ''
    })
  const close = () => {
    setProposal(undefined)
    void graphs.load()
  }
  return (
    <div className="stack gap-3">
      <label className="button button-outline board-graph-file" htmlFor={id} aria-busy={busy || undefined}>
        {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name="upload" />}
        {t('dashboard.graphs.choose')}
      </label>
      <input
        className="sr-only"
        id={id}
        type="file"
        accept=".json,application/json"
        aria-describedby={hint}
        onChange={(event) => void choose(event)}
      />
      <p className="hint" id={hint}>
        {t('dashboard.graphs.hint')}
      </p>
      <div role="alert">{fault && <Notice tone="danger">{fault}</Notice>}</div>
      {proposal && part && <part.GraphForm key={JSON.stringify(proposal.graph)} proposal={proposal} onClose={close} />}
    </div>
  )
}
