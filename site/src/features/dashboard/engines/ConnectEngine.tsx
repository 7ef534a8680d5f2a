import { useState } from 'react'
import type * as z from 'zod/mini'
import {
  connectEngine,
  ENGINE_KINDS,
  type EngineConnection,
  findEngines,
  operatorFactors,
} from '#backend/operators/contract.ts'
import { type Answer, call } from '../../../api/api.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Select } from '../../../ui/Select.tsx'
import { showToast } from '../../../ui/toasts/toasts.ts'
import { useBusy } from '../../../ui/useBusy.ts'
import { engines } from '../board.ts'
import { reasonOf } from '../graphs/reasonOf.ts'

type Kind = (typeof ENGINE_KINDS)[number]
type Found = Answer<typeof findEngines>['found']

/** Looks for engines in the network, and connects one, or a hosted provider by its key. */
export function ConnectEngine({ hosted }: { readonly hosted: readonly { name: string; variable: string }[] }) {
  const t = translate()
  const [kind, setKind] = useState<Kind>('videos-api')
  const [url, setUrl] = useState('')
  const [key, setKey] = useState('')
  const [variable, setVariable] = useState(hosted[0]?.variable ?? '')
  const [found, setFound] = useState<Found>()
  const [problem, setProblem] = useState('')
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const attempt = (work: () => Promise<void>) =>
    run(async () => {
      setProblem('')
      await work().catch((error) => setProblem(reasonOf(error)))
    })
  const find = () =>
    attempt(async () => setFound((await call(findEngines, { body: url ? { address: url } : {} })).found))
  const connect = (body: z.input<typeof EngineConnection>) =>
    attempt(async () => {
      await guard(() => call(connectEngine, { body: { ...body, ...(key && { key }) } }))
      setKey('')
      showToast('success', t('dashboard.engines.connected'))
      await engines.load()
    })
  return (
    <div className="stack gap-3">
      <div className="board-graph-fields">
        <Where {...{ kind, setKind, hosted, variable, setVariable, url, setUrl }} />
        <Field
          label={t(kind === 'comfyui' ? 'dashboard.engines.header' : 'dashboard.engines.key')}
          hint={t('dashboard.engines.keyHint')}
          type="password"
          autoComplete="off"
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
      </div>
      <div className="row">
        {kind !== 'hosted' && (
          <Button
            variant="outline"
            icon="search"
            label={t('dashboard.engines.find')}
            busy={busy}
            onClick={() => void find()}
          />
        )}
        <Button
          variant="primary"
          label={t('dashboard.engines.connectOne')}
          busy={busy}
          onClick={() => void connect({ engine: kind, ...(kind === 'hosted' ? { variable } : { address: url }) })}
        />
      </div>
      <div role="status">
        {found && (
          <FoundEngines
            found={found}
            busy={busy}
            onConnect={(one) => void connect({ engine: one.kind, address: one.url })}
          />
        )}
      </div>
      <div role="alert">{problem && <Notice tone="danger">{problem}</Notice>}</div>
      {dialog}
    </div>
  )
}

interface FoundEnginesProps {
  readonly found: Found
  readonly busy: boolean
  readonly onConnect: (engine: Found[number]) => void
}

function FoundEngines({ found, busy, onConnect }: FoundEnginesProps) {
  const t = translate()
  if (found.length === 0) return <p className="hint">{t('dashboard.engines.foundNone')}</p>
  return (
    <ul className="stack gap-1">
      {found.map((one) => (
        <li className="row" key={one.kind + one.url}>
          <code>{one.url}</code> {t(`dashboard.engines.kinds.${one.kind}`)} <span className="hint">{one.detail}</span>
          <Button
            variant="outline"
            label={t('dashboard.engines.connectOne')}
            aria-label={t('dashboard.engines.connectTo', { url: one.url })}
            busy={busy}
            onClick={() => onConnect(one)}
          />
        </li>
      ))}
    </ul>
  )
}

interface WhereProps {
  readonly kind: Kind
  readonly setKind: (kind: Kind) => void
  readonly hosted: readonly { readonly name: string; readonly variable: string }[]
  readonly variable: string
  readonly setVariable: (variable: string) => void
  readonly url: string
  readonly setUrl: (url: string) => void
}

/** What an engine is, and its address or provider. */
function Where({ kind, setKind, hosted, variable, setVariable, url, setUrl }: WhereProps) {
  const t = translate()
  return (
    <>
      <Select
        label={t('dashboard.engines.kind')}
        value={kind}
        choices={ENGINE_KINDS.map((value) => ({ value, label: t(`dashboard.engines.kinds.${value}`) }))}
        onChoose={(value) => setKind(value as Kind)}
      />
      {kind === 'hosted' ? (
        <Select
          label={t('dashboard.engines.provider')}
          value={variable}
          choices={hosted.map(({ name, variable: value }) => ({ value, label: name }))}
          onChoose={setVariable}
        />
      ) : (
        <Field
          label={t('dashboard.engines.url')}
          hint={t('dashboard.engines.urlHint')}
          type="url"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
      )}
    </>
  )
}
