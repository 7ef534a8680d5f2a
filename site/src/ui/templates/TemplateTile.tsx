import { useRef } from 'react'
import { partsOf, type Template, textOf } from '#backend/tasks/contract.ts'
import { pageLocale } from '../../i18n/client.ts'
import { MovingPicture } from '../MovingPicture.tsx'

interface TemplateTileProps {
  readonly template: Template
  readonly onChoose: (template: Template) => void
}

/** A template with its moving thumbnail. */
export function TemplateTile({ template, onChoose }: TemplateTileProps) {
  const button = useRef<HTMLButtonElement>(null)
  const { title, prompt, clip, still } = template
  const locale = pageLocale()
  return (
    <button
      ref={button}
      type="button"
      className="template stack gap-1 rounded"
      title={textOf(partsOf(prompt[locale]))}
      onClick={() => onChoose(template)}
    >
      <span className="template-picture clip rounded">
        {clip && <MovingPicture still={still ?? undefined} clip={clip} surface={button} />}
      </span>
      <span className="ellipsis small">{title[locale]}</span>
    </button>
  )
}
