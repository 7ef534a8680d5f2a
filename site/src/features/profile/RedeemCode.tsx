import { Redemption, redeem } from '#backend/codes/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { loadPlan } from '../../api/plans/subscription.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useForm } from '../../ui/useForm.ts'

/** Redeems a code for credits. */
export function RedeemCode() {
  const t = translate()
  const { form, field, problem, busy, ready } = useForm(Redemption, async (body) => {
    const { credits } = await call(redeem, { body })
    form.ref.current?.reset()
    showToast('success', t('subscription.redeem.done', { count: credits }))
    await loadPlan()
  })
  return (
    <form className="stack plan-choices redeem" {...form}>
      <h3>{t('subscription.redeem.heading')}</h3>
      <FormProblem text={problem === undefined ? undefined : problemText(problem)} />
      <Field
        label={t('subscription.redeem.code')}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        placeholder="XXXX-XXXX-XXXX-XXXX-XXXX"
        {...field('code')}
      />
      <div className="row">
        <Button type="submit" variant="outline" busy={busy} disabled={!ready}>
          {t('subscription.redeem.submit')}
        </Button>
      </div>
    </form>
  )
}

const problemText = (problem: unknown) =>
  problem instanceof ApiError && problem.code === 'too_many_requests'
    ? translate()('subscription.redeem.tooMany')
    : errorText(problem)
