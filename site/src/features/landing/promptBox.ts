import { readLocalStart, writeLocalStart } from '../../api/start/startDraft.ts'
import { typedKey } from '../../ui/typedKey.ts'

/** Makes the prompt box start a video, and the prompts of the wall fill it. */
export function setUpPromptBox(): void {
  const form = document.querySelector<HTMLFormElement>('#start')
  const box = form?.querySelector('textarea')
  if (!form || !box) return
  const file = form.querySelector<HTMLInputElement>('input[type=file]')
  const button = form.querySelector('[type=submit]')!
  box.value ||= readLocalStart()?.prompt ?? ''

  const submit = async () => {
    if (button.ariaBusy) return
    const picture = file?.files?.[0]
    const prompt = box.value.trim()
    if (!prompt && !picture) return box.focus()
    const { movements } = form.dataset
    const draft = { prompt, ...(movements && { camera_movements: movements.split(',') }) }
    writeLocalStart(draft)
    button.ariaBusy = 'true'
    // After a release, the file is gone. The new page restores the prompt.
    const card = await import('./startCard.ts').catch(() => location.reload())
    await card?.startVideo(draft, picture)
    button.ariaBusy = null
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  box.addEventListener('keydown', (event) => {
    if (typedKey(event) !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    form.requestSubmit()
  })
  file?.addEventListener('change', () => {
    const name = form.querySelector('[data-file]')
    if (name) name.textContent = file.files?.[0]?.name ?? name.getAttribute('data-file')
  })
  document.addEventListener('click', (event) => {
    const { prompt } = (event.target as HTMLElement).closest<HTMLElement>('[data-prompt]')?.dataset ?? {}
    if (!prompt) return
    box.value = prompt
    box.focus()
  })
}
