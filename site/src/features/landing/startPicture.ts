import { PICTURE_BACKGROUND } from '#backend/kernel/media/contract.ts'
import { textAt } from '../../i18n/client.ts'
import { readPicture } from '../../ui/pictures/readPicture.ts'

interface Chosen {
  readonly name: string
  /** Picture to upload, unless it is refused. */
  readonly sent?: Blob
  readonly preview?: string
  readonly fault?: string
}

let chosen: Chosen | undefined
/** Reading of the file that was chosen last. */
let reading: Promise<void> = Promise.resolve()

const parts = <E extends HTMLElement>(name: string) => document.querySelectorAll<E>(`[data-picture-${name}]`)

function show(next: Chosen | undefined): void {
  if (chosen?.preview && chosen.preview !== next?.preview) URL.revokeObjectURL(chosen.preview)
  chosen = next
  for (const row of parts('chosen')) row.hidden = !next
  for (const name of parts('name')) name.textContent = next?.name ?? ''
  for (const image of parts<HTMLImageElement>('image')) {
    image.hidden = !next?.preview
    image.style.background = PICTURE_BACKGROUND
    if (next?.preview) image.src = next.preview
    else image.removeAttribute('src')
  }
  for (const fault of parts('fault'))
    fault.textContent = next?.fault ? (textAt(`errors.${next.fault}`) ?? textAt('errors.upload_failed') ?? '') : ''
}

async function read(file: File): Promise<Chosen> {
  const { name } = file
  const result = await readPicture(file)
  if (typeof result === 'string') return { name, fault: result }
  const { address: preview, picture, fault } = result
  return fault ? { name, preview, fault } : { name, preview, sent: picture }
}

/** Checks, converts and shows a file, unless another one is chosen first. */
export function choosePicture(file: File): Promise<void> {
  const mine = read(file).then((next) => {
    if (reading === mine) show(next)
    else if (next.preview) URL.revokeObjectURL(next.preview)
  })
  reading = mine
  return mine
}

export function removePicture(): void {
  reading = Promise.resolve()
  show(undefined)
}

/** Shows why an upload failed, or that it is tried again. The picture stays until it is removed or replaced. */
export function showFault(fault = ''): void {
  if (chosen) show({ ...chosen, fault })
}

/** Returns the picture to upload once it is read, and whether the one that is shown was refused. */
export async function readyPicture(): Promise<{ readonly sent: Blob | undefined; readonly isRefused: boolean }> {
  await reading
  return { sent: chosen?.sent, isRefused: Boolean(chosen && !chosen.sent) }
}

/** Focuses the button that removes the picture. */
export const focusRemove = (within: ParentNode): void =>
  within.querySelector<HTMLElement>('[data-picture-remove]')?.focus()
