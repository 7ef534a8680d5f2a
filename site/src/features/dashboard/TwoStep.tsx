import { operatorFactors } from '#backend/operators/contract.ts'
import { translate } from '../../i18n/client.ts'
import { Factors } from '../../ui/factors/Factors.tsx'
import { $factorMissing, actions } from './board.ts'

/** Manages the operator's second factors. */
export function TwoStep() {
  const t = translate()
  return (
    <section className="stack card board-panel board-two-step" id="two-step" aria-labelledby="two-step-heading">
      <div className="row board-panel-head">
        <h2 id="two-step-heading">{t('profile.factors.heading')}</h2>
      </div>
      <Factors
        endpoints={operatorFactors}
        onState={({ missing }) => $factorMissing.set(missing)}
        onChange={() => void actions.load()}
      />
    </section>
  )
}
