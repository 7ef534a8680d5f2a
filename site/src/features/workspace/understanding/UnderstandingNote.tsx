import { useStore } from '@nanostores/react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { $models, isDrawn } from '../../../api/models.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { typedKey } from '../../../ui/keys/typedKey.ts'
import { linesOf, type Reading } from '../../../ui/reading/reading.ts'
import '../../../ui/reading/reading.css'
import { $generation, setPrompt } from '../generation.ts'
import { $demo } from '../workspace.ts'
import { $understanding } from './understanding.ts'

/** Says what the demo will draw and what it will leave out; offers examples while the prompt is empty. */
export function UnderstandingNote() {
  const t = translate()
  const { prompt, taskType, model } = useStore($generation)
  const chosen = useStore($models).find(({ id }) => id === model)
  // Until the models are loaded, none says who draws it.
  const isDemo = useStore($demo) || (chosen !== undefined && isDrawn(chosen))
  const understanding = useStore($understanding)
  if (!isDemo || taskType !== 'text_to_video') return null
  return (
    <div className="understanding min-0">
      <div className="hint">
        <div className="reading" aria-live="polite">
          {understanding &&
            linesOf(understanding, t).map(({ as, text }) => (
              <p key={as} className={`reading-${as}`}>
                {text}
              </p>
            ))}
        </div>
        {understanding?.enough === false && <NearPrompts reading={understanding} />}
      </div>
      <Examples isHidden={prompt !== ''} />
    </div>
  )
}

/** Offers prompts with pictures, where the demo would draw too little. */
function NearPrompts({ reading }: { readonly reading: Reading }) {
  const t = translate()
  const [near, setNear] = useState<typeof import('../../../ui/reading/nearPrompts.ts').nearPrompts>()
  useEffect(() => {
    // Holds the pictures of all prompts.
    const loaded = import('../../../ui/reading/nearPrompts.ts')
    loaded.then(({ nearPrompts }) => setNear(() => nearPrompts)).catch(() => {})
  }, [])
  const use = (prompt: string) => {
    setPrompt(prompt)
    // The list leaves.
    document.getElementById('prompt')?.focus()
  }
  return (
    <ul className="reading-near" aria-label={t('reading.near')}>
      {near?.(reading, pageLocale()).map(({ prompt, poster }) => (
        <li key={prompt}>
          <button type="button" className="reading-prompt small" onClick={() => use(prompt)}>
            <img src={poster} alt="" />
            <span>{prompt}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Moves the focus among the examples, of which Tab reaches one: the button that orders must not be far. */
function step(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[typedKey(event.nativeEvent) ?? '']
  if (!by) return
  event.preventDefault()
  const all = [...event.currentTarget.querySelectorAll('button')]
  const at = all.indexOf(event.target as HTMLButtonElement)
  all[(at + by + all.length) % all.length]?.focus()
}

/** Keeps its space while hidden, so that typing does not move the form. */
function Examples({ isHidden }: { readonly isHidden: boolean }) {
  const t = translate()
  const examples = t('workspace.demo.examples').split('|')
  const take = (example: string, byKey: boolean) => {
    setPrompt(example)
    // The chosen example hides. On a phone, the focus would open the keyboard.
    if (byKey) document.getElementById('prompt')?.focus()
  }
  return (
    <ul
      className={isHidden ? 'line examples examples-hidden' : 'line examples'}
      aria-label={t('workspace.demo.examplesLabel')}
      // The browser leaves an example where it is that is cut off at the edge.
      onKeyDown={step}
      onFocus={({ target }) => target.scrollIntoView({ block: 'nearest', inline: 'nearest' })}
    >
      {examples.map((example, at) => (
        <li key={example}>
          <button
            type="button"
            className="example muted"
            tabIndex={at === 0 ? undefined : -1}
            onClick={({ detail }) => take(example, detail === 0)}
          >
            {example}
          </button>
        </li>
      ))}
    </ul>
  )
}
