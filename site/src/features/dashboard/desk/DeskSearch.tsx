import { type RefObject, type SubmitEvent, useEffect, useId, useRef, useState } from 'react'
import type { Found } from '#backend/desk/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { typedKey } from '../../../ui/keys/typedKey.ts'
import { useBusy } from '../../../ui/useBusy.ts'
import { find, followAddress, personHref } from './desk.ts'

const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null

/** Lets Ctrl+K and / lead to a box. */
function useShortcut(box: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const lead = (event: KeyboardEvent) => {
      const key = typedKey(event)
      const isShortcut = (key === 'k' && (event.ctrlKey || event.metaKey)) || (key === '/' && !isTyping(event))
      if (!isShortcut || document.querySelector('dialog[open]')) return
      event.preventDefault()
      box.current?.focus()
      box.current?.select()
    }
    addEventListener('keydown', lead)
    return () => removeEventListener('keydown', lead)
  }, [box])
}

/** The box that finds people and what is theirs. */
export function DeskSearch() {
  const t = translate()
  const id = useId()
  const box = useRef<HTMLInputElement>(null)
  const [found, setFound] = useState<readonly Found[]>()
  const [problem, setProblem] = useState<string>()
  const [busy, run] = useBusy()
  useEffect(() => void followAddress(), [])
  useShortcut(box)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const q = box.current?.value ?? ''
    void run(async () => {
      setProblem(undefined)
      try {
        const results = await find(q)
        // An answer to an earlier text would lead to the wrong person.
        if (box.current?.value === q) setFound(results)
      } catch (error) {
        setProblem(errorText(error))
      }
    })
  }
  const close = () => setFound(undefined)
  return (
    <search className="stack desk-search">
      <form className="row desk-box" method="get" onSubmit={submit}>
        <label className="sr-only" htmlFor={id}>
          {t('dashboard.desk.search')}
        </label>
        <input
          className="input"
          id={id}
          ref={box}
          name="q"
          type="search"
          autoComplete="off"
          maxLength={200}
          placeholder={t('dashboard.desk.placeholder')}
          aria-keyshortcuts="Control+K /"
          onInput={close}
        />
        <Button type="submit" icon="search" variant="outline" busy={busy} label={t('dashboard.desk.find')} />
      </form>
      <div role="status">
        {problem && <p className="fault">{problem}</p>}
        {found?.length === 0 && <p className="hint">{t('dashboard.desk.nothing')}</p>}
        {found && found.length > 0 && <p className="sr-only">{t('dashboard.desk.found', { count: found.length })}</p>}
      </div>
      {found && found.length > 0 && (
        <ul className="desk-found card">
          {found.map((each) => (
            <li key={`${each.kind} ${each.id} ${each.user_id}`}>
              <Result found={each} onOpen={close} />
            </li>
          ))}
        </ul>
      )}
    </search>
  )
}

function Result({ found: { kind, label, user_id }, onOpen }: { found: Found; onOpen: () => void }) {
  const t = translate()
  const text = (
    <>
      <span className="badge">{t(`dashboard.desk.results.${kind}`)}</span> <span className="anywhere">{label}</span>
    </>
  )
  if (user_id === null) return <span className="row desk-result">{text}</span>
  return (
    <a className="row touch desk-result plain" href={personHref(user_id)} onClick={onOpen}>
      {text}
      <Icon name="right" />
    </a>
  )
}
