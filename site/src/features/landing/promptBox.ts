import { readLocalStart, writeLocalStart } from '../../api/start/startDraft.ts'
import { typedKey } from '../../ui/keys/typedKey.ts'
import { part } from '../../ui/part.ts'
import { refuseStrayFiles } from '../../ui/pictures/refuseStrayFiles.ts'

/** Makes the prompt box start a video, and the prompts of the wall fill it. */
export function setUpPromptBox(): void {
  const form = document.querySelector<HTMLFormElement>('#start')
  const box = form?.querySelector('textarea')
  if (!form || !box) return
  const file = form.querySelector<HTMLInputElement>('input[type=file]')
  const button = part('[type=submit]', form)
  box.value ||= readLocalStart()?.prompt ?? ''

  const submit = async () => {
    if (button.ariaBusy) return
    button.ariaBusy = 'true'
    await start().finally(() => {
      button.ariaBusy = null
    })
  }
  const start = async () => {
    const picture = await pictures?.readyPicture()
    if (picture?.isRefused) return pictures?.focusRemove(form)
    const prompt = box.value.trim()
    if (!prompt && !picture?.sent) return box.focus()
    if (!picture?.sent && !(await (await reading())?.isEnough())) return box.focus()
    const { movements } = form.dataset
    const draft = { prompt, ...(movements && { camera_movements: movements.split(',') }) }
    writeLocalStart(draft)
    // After a release, the file is gone. The new page restores the prompt.
    const card = await import('./startCard.ts').catch(() => location.reload())
    await card?.startVideo(draft)
  }
  let pictures: typeof import('./startPicture.ts') | undefined
  const reading = async () => (await import('./promptReading.ts').catch(() => undefined))?.readingOf(box)
  const choose = async (files: FileList | null | undefined) => {
    const chosen = files?.[0]
    if (!chosen) return
    pictures ??= (await import('./startPicture.ts').catch(() => location.reload())) ?? undefined
    await pictures?.choosePicture(chosen)
  }
  // What a demo would draw is said before it asks for an address.
  const say = async () => (await reading())?.ask()
  box.addEventListener('input', say)
  if (box.value) void say()
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  box.addEventListener('keydown', (event) => {
    if (typedKey(event) !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    form.requestSubmit()
  })
  if (file) takeChosen(file, choose)
  acceptDrops(form, choose)
  refuseStrayFiles()
  document.addEventListener('click', (event) => {
    const target = event.target as HTMLElement
    if (!target.closest('[data-picture-remove]')) return
    pictures?.removePicture()
    // The button disappears with the picture.
    const card = target.closest<HTMLDialogElement>('#start-card')
    if (card && !box.value.trim()) card.close()
    const next = card?.open ? card.querySelector<HTMLElement>('#start-email') : file
    next?.focus()
  })
  fillFromWall(box)
  keepPrompt(box)
}

/** Shows the same prompt on the page in the other language. */
function keepPrompt(box: HTMLTextAreaElement): void {
  document.addEventListener('click', ({ target }) => {
    const isKept = box.value === (readLocalStart()?.prompt ?? '')
    if ((target as HTMLElement).closest('[data-language]') && !isKept) writeLocalStart({ prompt: box.value })
  })
}

function fillFromWall(box: HTMLTextAreaElement): void {
  document.addEventListener('click', ({ target }) => {
    const { prompt, movements, chips } = (target as HTMLElement).closest<HTMLElement>('[data-prompt]')?.dataset ?? {}
    if (!prompt) return
    if (movements) chooseMovements(box.form!, movements, (chips ?? '').split(','))
    box.value = prompt
    box.focus()
    box.dispatchEvent(new Event('input'))
  })
}

/** Orders camera movements with the prompt, and names them below it. */
export function chooseMovements(form: HTMLElement, movements: string, names: readonly string[]): void {
  form.dataset.movements = movements
  const chips = names.map((name) =>
    Object.assign(document.createElement('span'), { className: 'start-chip small', textContent: name }),
  )
  form.querySelector('[data-chips]')?.replaceChildren(...chips)
}

/** Takes each file that is chosen, also one that was chosen before this script had loaded. */
function takeChosen(input: HTMLInputElement, choose: (files: FileList | null) => void): void {
  const take = () => {
    choose(input.files)
    // Let the visitor choose the same file again after removing it.
    input.value = ''
  }
  input.addEventListener('change', take)
  take()
}

function acceptDrops(form: HTMLElement, choose: (files: FileList) => void): void {
  form.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  form.addEventListener('drop', (event) => {
    if (!event.dataTransfer?.files.length) return
    event.preventDefault()
    choose(event.dataTransfer.files)
  })
}
