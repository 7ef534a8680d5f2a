import { useStore } from '@nanostores/react'
import { type ReactNode, useEffect, useState } from 'react'
import { $credits } from '../../api/credits.ts'
import { $models } from '../../api/models.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { DAYS, type Filter } from './filter.ts'
import { $filter, setFilter } from './library.ts'
import { $folders } from './marks.ts'
import { $selection, startSelecting, stopSelecting } from './selection.ts'

/** Searches and filters the videos, and starts a selection. */
export function FilterBar() {
  const t = translate()
  const filter = useStore($filter)
  const models = useStore($models)
  const isTeam = filter.library === 'team'
  const types: readonly (readonly [Filter['type'], string])[] = [
    ['', t('library.type.all')],
    ['text_to_video', t('library.type.text')],
    ['image_to_video', t('library.type.image')],
    ['join', t('library.type.join')],
  ]
  return (
    <search className="library-bar">
      {(useStore($credits)?.inTeam || isTeam) && <Libraries chosen={filter.library} />}
      <Search />
      <fieldset className="line library-types">
        <legend className="sr-only">{t('library.type.label')}</legend>
        {types.map(([type, label]) => (
          <button type="button" key={type} aria-pressed={filter.type === type} onClick={() => void setFilter({ type })}>
            {label}
          </button>
        ))}
      </fieldset>
      <Select label={t('library.model')} value={filter.model} onChange={(model) => setFilter({ model })}>
        <option value="">{t('library.allModels')}</option>
        {filter.model && !models.some(({ id }) => id === filter.model) && (
          <option value={filter.model}>{filter.model}</option>
        )}
        {models.map(({ id, names }) => (
          <option key={id} value={id}>
            {names[pageLocale()]}
          </option>
        ))}
      </Select>
      <Select label={t('library.date')} value={filter.days} onChange={(days) => setFilter({ days: Number(days) })}>
        <option value={0}>{t('library.allDates')}</option>
        {DAYS.map((days) => (
          <option key={days} value={days}>
            {t('library.days', { count: days })}
          </option>
        ))}
      </Select>
      {!isTeam && <OwnMarks />}
    </search>
  )
}

/** What only the user's own videos have: folders, favourites, and a selection. */
function OwnMarks() {
  const t = translate()
  const filter = useStore($filter)
  const folders = useStore($folders)
  const selecting = useStore($selection) !== null
  return (
    <>
      {(folders.length > 0 || filter.folder) && (
        <Select label={t('library.folder')} value={filter.folder} onChange={(folder) => setFilter({ folder })}>
          <option value="">{t('library.allFolders')}</option>
          {filter.folder && !folders.some(([name]) => name === filter.folder) && (
            <option value={filter.folder}>{filter.folder}</option>
          )}
          {folders.map(([name, count]) => (
            <option key={name} value={name}>
              {name} ({count})
            </option>
          ))}
        </Select>
      )}
      <Button
        label={t('library.favourites')}
        icon="heart"
        aria-pressed={filter.favourites}
        onClick={() => void setFilter({ favourites: !filter.favourites })}
      />
      <Button
        label={t('library.select.start')}
        icon="checkRound"
        aria-pressed={selecting}
        onClick={selecting ? stopSelecting : startSelecting}
      />
    </>
  )
}

/** Switches between the user's videos and those that teams share. */
function Libraries({ chosen }: { chosen: Filter['library'] }) {
  const t = translate()
  const show = (library: Filter['library']) => {
    stopSelecting()
    // Favourites and folders are the user's.
    void setFilter({ library, favourites: false, folder: '' })
  }
  return (
    <fieldset className="line library-types">
      <legend className="sr-only">{t('library.of.label')}</legend>
      {(['mine', 'team'] as const).map((library) => (
        <button type="button" key={library} aria-pressed={library === chosen} onClick={() => show(library)}>
          {t(`library.of.${library}`)}
        </button>
      ))}
    </fieldset>
  )
}

/** How long the search waits for the next letter, ms. */
const TYPING_MS = 150

function Search() {
  const t = translate()
  const searched = useStore($filter).text
  const [text, setText] = useState(searched)
  // Another part of the page cleared the filter. The space before the next word is not searched for.
  useEffect(() => setText((now) => (now.trim() === searched ? now : searched)), [searched])
  useEffect(() => {
    if (text.trim() === searched) return
    const timer = setTimeout(() => void setFilter({ text: text.trim() }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, searched])
  return (
    <label className="library-search">
      <Icon name="search" />
      <span className="sr-only">{t('library.search')}</span>
      <input
        className="input"
        type="search"
        maxLength={200}
        placeholder={t('library.search')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string | number
  readonly onChange: (value: string) => Promise<void>
  readonly children: ReactNode
}

const Select = ({ label, value, onChange, children }: SelectProps) => (
  <select
    className="input library-choice"
    aria-label={label}
    value={value}
    onChange={(event) => void onChange(event.target.value)}
  >
    {children}
  </select>
)
