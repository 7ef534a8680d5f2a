import { useStore } from '@nanostores/react'
import { translate } from '../../../i18n/client.ts'
import { SwitchField } from '../../../ui/SwitchField.tsx'
import { $lines, $prompts, setByLine } from '../generation.ts'

/** Makes a film of each line of the prompt. Shown where it has several. */
export function LinesSwitch() {
  const t = translate()
  const { length: count } = useStore($lines)
  const on = useStore($prompts).length > 1
  if (count < 2) return null
  return (
    <SwitchField
      id="by-line"
      label={t('workspace.prompts.byLine', { count })}
      hint={t('workspace.prompts.byLineHint')}
      on={on}
      onChange={setByLine}
    />
  )
}
