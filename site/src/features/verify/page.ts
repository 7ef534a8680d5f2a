import { part } from '../../ui/part.ts'

// The reader is loaded with the first file, which never leaves the browser.
const zone = part('[data-drop]')
const input = part<HTMLInputElement>('#verify-file')
const result = part('#verify-result')

async function check(file: File | undefined): Promise<void> {
  if (!file) return
  const view = await import('./Result.tsx')
  await view.check(file, result)
}

const take = () => {
  void check(input.files?.[0])
  // The same file may be chosen again.
  input.value = ''
}
input.addEventListener('change', take)
// A file may have been chosen before this script had loaded.
take()
for (const name of ['dragover', 'drop', 'dragleave'] as const)
  document.addEventListener(name, (event) => {
    const isFile = event.dataTransfer?.types.includes('Files') ?? false
    if (isFile) event.preventDefault()
    zone.toggleAttribute('data-over', isFile && name === 'dragover')
    if (name === 'drop') void check(event.dataTransfer?.files[0])
  })
