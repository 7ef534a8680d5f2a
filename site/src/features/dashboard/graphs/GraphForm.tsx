import { useEffect, useId, useRef, useState } from 'react'
import type * as z from 'zod/mini'
import {
  BINDINGS,
  type BindingName,
  type GraphEntry,
  type inspectGraph,
  operatorFactors,
  saveGraph,
} from '#backend/operators/contract.ts'
import { type Answer, call } from '../../../api/api.ts'
import { ApiError } from '../../../api/apiError.ts'
import { codeText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { showToast } from '../../../ui/toasts/toasts.ts'
import { useBusy } from '../../../ui/useBusy.ts'
import { GraphTest } from './GraphTest.tsx'
import { reasonOf } from './reasonOf.ts'

interface GraphFormProps {
  readonly proposal: Answer<typeof inspectGraph>
  readonly onClose: () => void
}

const listOf = (text: string) => text.split(/[\s,，、]+/).filter(Boolean)

/** Shows what is proposed for a workflow, tries it and stores it as a model. */
export function GraphForm({ proposal, onClose }: GraphFormProps) {
  const t = translate()
  const heading = useRef<HTMLHeadingElement>(null)
  const [bindings, setBindings] = useState(proposal.bindings)
  const [output, setOutput] = useState(proposal.output ?? proposal.outputs[0]?.place ?? '')
  const [fps, setFps] = useState(String(proposal.fps))
  const [resolutions, setResolutions] = useState(proposal.resolution ?? '480P')
  const [seconds, setSeconds] = useState(String(proposal.seconds ?? 5))
  // The form appears far from the button that opened it on small screens.
  useEffect(() => heading.current?.focus(), [])
  const draft = { graph: proposal.graph, bindings, output, fps: Number(fps) }
  const bind = (name: BindingName, place: string) => {
    const { [name]: _, ...others } = bindings
    setBindings(place === '' ? others : { ...others, [name]: place })
  }
  return (
    <div className="stack gap-3 board-graph">
      <h3 ref={heading} tabIndex={-1}>
        {t('dashboard.graphs.proposal')}
      </h3>
      <Lacks faults={proposal.faults} />
      <div className="board-graph-fields">
        {BINDINGS.map((name) => (
          <Select
            key={name}
            label={t(`dashboard.graphs.binding.${name}`)}
            none={t(name === 'prompt' ? 'dashboard.graphs.pick' : 'dashboard.graphs.unbound')}
            value={bindings[name] ?? ''}
            choices={proposal.places[name] ?? []}
            onChoose={(place) => bind(name, place)}
          />
        ))}
        <Select
          label={t('dashboard.graphs.output')}
          none={t('dashboard.graphs.pick')}
          value={output}
          choices={proposal.outputs}
          onChoose={setOutput}
        />
        <Field
          label={t('dashboard.graphs.fps')}
          inputMode="decimal"
          value={fps}
          onChange={({ target }) => setFps(target.value)}
        />
        <ListField label={t('dashboard.graphs.resolutions')} value={resolutions} onType={setResolutions} />
        <ListField label={t('dashboard.graphs.seconds')} value={seconds} onType={setSeconds} />
      </div>
      <GraphTest
        draft={draft}
        resolution={listOf(resolutions)[0] ?? ''}
        seconds={Number(listOf(seconds)[0] ?? 0)}
        isReady={Boolean(bindings.prompt && output)}
      />
      <Saving
        body={{ ...draft, resolutions: listOf(resolutions), seconds: listOf(seconds).map(Number) }}
        onClose={onClose}
      />
    </div>
  )
}

interface ListFieldProps {
  readonly label: string
  readonly value: string
  readonly onType: (text: string) => void
}

function ListField({ label, value, onType }: ListFieldProps) {
  const hint = translate()('dashboard.graphs.listHint')
  return <Field label={label} hint={hint} value={value} onChange={({ target }) => onType(target.value)} />
}

/** Lists what the server lacks. */
function Lacks({ faults }: { readonly faults: readonly string[] }) {
  if (faults.length === 0) return null
  return (
    <Notice tone="warning">
      <strong>{translate()('dashboard.graphs.lacks')}</strong>
      <ul>
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </Notice>
  )
}

interface SavingProps {
  readonly body: Omit<z.input<typeof GraphEntry>, 'id' | 'names' | 'credits' | 'replace'>
  readonly onClose: () => void
}

/** Names the model and stores it. */
function Saving({ body, onClose }: SavingProps) {
  const t = translate()
  const [values, setValues] = useState({ id: '', en: '', zh: '', credits: '30' })
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [problem, setProblem] = useState('')
  const [exists, setExists] = useState(false)
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const save = () =>
    run(async () => {
      setFaults({})
      setProblem('')
      const { id, en, zh, credits } = values
      try {
        const entry = { ...body, id, names: { en, zh }, credits: Number(credits), replace: exists }
        await guard(() => call(saveGraph, { body: entry }))
        showToast('success', t('dashboard.graphs.saved'))
        onClose()
      } catch (error) {
        if (error instanceof ApiError && error.code === 'graph_exists') setExists(true)
        const named = error instanceof ApiError ? error.faults : []
        setFaults(Object.fromEntries(named.map(({ path, code }) => [path, codeText(code)])))
        setProblem(reasonOf(error))
      }
    })
  const field = (name: keyof typeof values, path: string, hint?: string) => (
    <Field
      label={t(`dashboard.graphs.${name}`)}
      {...(hint ? { hint } : {})}
      value={values[name]}
      fault={faults[path]}
      inputMode={name === 'credits' ? 'numeric' : undefined}
      onChange={({ target }) => {
        if (name === 'id') setExists(false)
        setValues({ ...values, [name]: target.value })
      }}
    />
  )
  return (
    <>
      <div className="board-graph-fields">
        {field('en', 'names.en')}
        {field('zh', 'names.zh')}
        {field('id', 'id', t('dashboard.graphs.idHint'))}
        {field('credits', 'credits')}
      </div>
      <div role="alert">{problem && <Notice tone="danger">{problem}</Notice>}</div>
      <div className="row">
        <Button
          variant="primary"
          label={t(exists ? 'dashboard.graphs.replace' : 'dashboard.graphs.save')}
          busy={busy}
          onClick={() => void save()}
        />
        <Button variant="quiet" label={t('common.action.cancel')} onClick={onClose} />
      </div>
      {dialog}
    </>
  )
}

interface SelectProps {
  readonly label: string
  /** Text of the empty choice. */
  readonly none: string
  readonly value: string
  readonly choices: readonly { readonly place: string; readonly label: string }[]
  readonly onChoose: (place: string) => void
}

function Select({ label, none, value, choices, onChoose }: SelectProps) {
  const id = useId()
  return (
    <div className="stack field">
      <label htmlFor={id}>{label}</label>
      <select className="input" id={id} value={value} onChange={({ target }) => onChoose(target.value)}>
        <option value="">{none}</option>
        {choices.map(({ place, label }) => (
          <option key={place} value={place}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}
