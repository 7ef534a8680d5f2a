import { useState } from 'react'
import { translate } from '../../i18n/client.ts'
import { LOCALES, type Locale } from '../../i18n/core.ts'
import { Choices } from '../../ui/Choices.tsx'
import { chooseLanguage } from './profile.ts'

/** Selects the language of pages and emails. Reverts the selection if it cannot be saved. */
export function LanguageChoice({ language }: { language: Locale }) {
  const t = translate()
  const [chosen, setChosen] = useState<Locale>(language)
  const choose = async (next: Locale) => {
    setChosen(next)
    if (!(await chooseLanguage(next))) setChosen(language)
  }
  const options = LOCALES.map((value) => ({ value, label: t(`common.language.${value}`) }))
  return (
    <div id="language">
      <Choices
        label={t('profile.language.label')}
        value={chosen}
        options={options}
        onChange={(next) => void choose(next)}
      />
    </div>
  )
}

export function LanguageSetting({ language }: { language: Locale }) {
  return (
    <div className="stack stack-wide card profile-card">
      <h3>{translate()('profile.language.heading')}</h3>
      <LanguageChoice language={language} />
    </div>
  )
}
