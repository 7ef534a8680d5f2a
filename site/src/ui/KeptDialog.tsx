import { type ComponentProps, useState } from 'react'
import { Dialog } from './Dialog.tsx'

/** A dialog that shows something once. Only a button in its foot closes it. */
export function KeptDialog(props: Omit<ComponentProps<typeof Dialog>, 'busy' | 'onClose'>) {
  const [round, setRound] = useState(0)
  // Opens again if the browser closes it, as the back gesture of a phone does.
  return <Dialog key={round} {...props} busy onClose={() => setRound(round + 1)} />
}
