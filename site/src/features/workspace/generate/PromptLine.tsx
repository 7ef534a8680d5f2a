import { useStore } from '@nanostores/react'
import { useEffect, useState } from 'react'
import { translate } from '../../../i18n/client.ts'
import { $generation } from '../generation.ts'

/** The header and the bar cover the page. */
const BELOW_BARS = '-72px 0px -120px'

/** Shows the prompt's field and focuses it. */
export function goToPrompt(): void {
  const prompt = document.getElementById('prompt')
  prompt?.scrollIntoView({ block: 'center' })
  prompt?.focus({ preventScroll: true })
}

/** The prompt in the bar of narrow screens, while its field is out of sight. Leads to the field. */
export function PromptLine() {
  const t = translate()
  const { prompt } = useStore($generation)
  const [away, setAway] = useState(false)
  useEffect(() => {
    const field = document.getElementById('prompt')
    const look = (entries: IntersectionObserverEntry[]) => setAway(entries.at(-1)?.isIntersecting === false)
    const observer = new IntersectionObserver(look, { rootMargin: BELOW_BARS })
    if (field) observer.observe(field)
    return () => observer.disconnect()
  }, [])
  const text = prompt.trim() || t('workspace.form.promptPlaceholder')
  if (!away) return null
  return (
    <button
      type="button"
      className="prompt-line"
      aria-label={`${t('workspace.keys.prompt')}: ${text}`}
      onClick={goToPrompt}
    >
      <span className="ellipsis">{text}</span>
    </button>
  )
}
