import { useId } from 'react'
import { NoteText, type Person } from '#backend/desk/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { Time } from '../Time.tsx'
import { note } from './desk.ts'
import { ScrolledList } from './ScrolledList.tsx'

/** What operators wrote about a person, with a form that adds to it. */
export function Notes({ notes }: { notes: Person['notes'] }) {
  const t = translate()
  const id = useId()
  const { guard, dialog } = useStepUp(operatorFactors)
  const { form, field, problem, busy, ready } = useForm(NoteText, async ({ text }) => {
    await guard(() => note(text))
    form.ref.current?.reset()
  })
  return (
    <section className="stack card desk-part" aria-labelledby={id}>
      <h3 id={id}>{t('dashboard.desk.notes')}</h3>
      <ScrolledList>
        {notes.map(({ id, at, operator, text }) => (
          <li key={id}>
            <Time iso={at} /> <span className="anywhere">{`${operator}: ${text}`}</span>
          </li>
        ))}
      </ScrolledList>
      <form className="stack" {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
        <Field
          label={t('dashboard.desk.note')}
          hint={t('dashboard.desk.noteHint')}
          autoComplete="off"
          maxLength={500}
          {...field('text')}
        />
        <p>
          <Button type="submit" variant="outline" busy={busy} disabled={!ready} label={t('dashboard.desk.write')} />
        </p>
      </form>
      {dialog}
    </section>
  )
}
