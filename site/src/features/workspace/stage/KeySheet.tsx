import { useStore } from '@nanostores/react'
import { translate } from '../../../i18n/client.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { SwitchField } from '../../../ui/SwitchField.tsx'
import { $singleKeys, setSingleKeys } from './singleKeys.ts'

const SHORTCUTS = [
  ['Ctrl/⌘ Enter', 'generate'],
  ['/', 'prompt'],
  ['Space', 'play'],
  ['← →', 'take'],
  ['↑ ↓', 'frame'],
  ['R', 'reroll'],
  ['E', 'continue'],
  ['U', 'reuse'],
  ['C', 'camera'],
  ['D', 'download'],
  ['F', 'fullScreen'],
  ['T', 'theatre'],
  ['Delete', 'delete'],
  ['?', 'sheet'],
  ['Esc', 'close'],
] as const

/** Lists the keyboard shortcuts and switches the single keys on and off. */
export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const t = translate()
  const on = useStore($singleKeys)
  return (
    <Dialog size={600} title={t('workspace.keys.heading')} onClose={onClose}>
      <dl className="keys stack">
        {SHORTCUTS.map(([key, name]) => (
          <div key={name}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(`workspace.keys.${name}`)}</dd>
          </div>
        ))}
      </dl>
      <SwitchField
        id="single-keys"
        label={t('workspace.keys.single')}
        hint={t('workspace.keys.singleHint')}
        on={on}
        onChange={setSingleKeys}
      />
    </Dialog>
  )
}
