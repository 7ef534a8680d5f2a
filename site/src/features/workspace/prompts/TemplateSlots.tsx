import { useStore } from '@nanostores/react'
import { $template, fillSlot } from './template.ts'

/** The slots of the template that filled the prompt, as fields. */
export function TemplateSlots() {
  const parts = useStore($template)
  if (!parts) return null
  return (
    <div className="template-slots">
      {parts.map(
        ({ slot, text }, at) =>
          slot && (
            <label className="line gap-1 small" key={slot}>
              <span className="muted">{slot}</span>
              <input
                className="input"
                value={text}
                maxLength={120}
                onChange={({ currentTarget }) => fillSlot(at, currentTarget.value)}
              />
            </label>
          ),
      )}
    </div>
  )
}
