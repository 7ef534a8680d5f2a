import { connectEngine, disconnectEngine, type Engine, operatorFactors } from '#backend/operators/contract.ts'
import { call } from '../../../api/api.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { showToast } from '../../../ui/toasts/toasts.ts'
import { useBusy } from '../../../ui/useBusy.ts'
import { engines } from '../board.ts'
import { reasonOf } from '../graphs/reasonOf.ts'
import { May } from '../May.tsx'
import { Panel } from '../Panel.tsx'
import { ConnectEngine } from './ConnectEngine.tsx'
import { ModelPrices } from './ModelPrices.tsx'
import { TestClip } from './TestClip.tsx'

/** The engine wizard: finds and connects engines, tries them, and prices their models. */
export function Engines() {
  const t = translate()
  return (
    <Panel name="engines" section={engines}>
      {({ engines: connected, hosted, models, credit_cents: creditCents }) => (
        <>
          {connected.length === 0 ? (
            <p className="hint">{t('dashboard.engines.none')}</p>
          ) : (
            <ul className="stack gap-3">
              {connected.map((engine) => (
                <Connected key={engine.name} engine={engine} />
              ))}
            </ul>
          )}
          <May call={connectEngine}>
            <h3>{t('dashboard.engines.connectHeading')}</h3>
            <ConnectEngine hosted={hosted} />
            <h3>{t('dashboard.engines.testHeading')}</h3>
            <TestClip models={models} />
          </May>
          <h3>{t('dashboard.engines.prices')}</h3>
          <p className="hint">{t('dashboard.engines.pricesHint', { cents: creditCents.toFixed(1) })}</p>
          {models.map((model) => (
            <ModelPrices key={`${model.id} ${JSON.stringify(model.shapes)}`} model={model} creditCents={creditCents} />
          ))}
        </>
      )}
    </Panel>
  )
}

function Connected({ engine: { name, by, url, ok, detail } }: { readonly engine: Engine }) {
  const t = translate()
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const remove = () =>
    run(async () => {
      await guard(() => call(disconnectEngine, { params: { id: name } })).catch((error) =>
        showToast('danger', reasonOf(error)),
      )
      await engines.load()
    })
  return (
    <li className="row spread">
      <span className="anywhere">
        <strong>{name}</strong> {url && <code>{url}</code>}{' '}
        <span className={ok ? 'hint' : 'fault'}>{ok ? detail : t('dashboard.engines.fails', { detail })}</span>
      </span>
      {by === 'board' ? (
        <May call={disconnectEngine}>
          <Button
            variant="quiet"
            icon="trash"
            label={t('dashboard.engines.remove')}
            aria-label={t('dashboard.engines.removeOf', { name })}
            busy={busy}
            onClick={() => void remove()}
          />
        </May>
      ) : (
        <span className="hint">{t('dashboard.engines.bySettings')}</span>
      )}
      {dialog}
    </li>
  )
}
