import { NewName, type User } from '#backend/accounts/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { displayName } from '../../api/hint.ts'
import { translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { firstCharacters } from '../../i18n/firstCharacters.ts'
import { Button } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useForm } from '../../ui/useForm.ts'
import { rename } from './profile.ts'

/** Shows the user's name, email address and registration date. Only the name can be edited. */
export function PersonalInfo({ user }: { user: User }) {
  const t = translate()
  const { form, field, problem, busy, ready } = useForm(NewName, async ({ username }) => {
    await rename(username)
    showToast('success', t('profile.saved'))
  })
  const since = dayText(user.created_at)
  return (
    <section className="stack stack-wide profile-section" id="personal-info" aria-labelledby="info-heading">
      <h2 id="info-heading">{t('profile.info.heading')}</h2>
      <div className="stack stack-wide card profile-card">
        <div className="line profile-who">
          <span className="profile-initial middle" aria-hidden="true">
            {firstCharacters(displayName(user), 1).toUpperCase()}
          </span>
          <Facts
            className="profile-facts min-0"
            facts={[
              [t('profile.info.email'), user.email],
              [t('profile.info.since'), since],
            ]}
          />
        </div>
        <form className="stack stack-wide profile-line" {...form}>
          <FormProblem text={problem === undefined ? undefined : errorText(problem, t('profile.failed'))} />
          <Field
            label={t('profile.info.name')}
            autoComplete="name"
            defaultValue={user.full_name}
            {...field('username')}
          />
          <Button label={t('profile.save')} type="submit" variant="outline" busy={busy} disabled={!ready} />
        </form>
      </div>
    </section>
  )
}
