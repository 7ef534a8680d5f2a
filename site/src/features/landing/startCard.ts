import { newOrderKey } from '../../api/orderKey.ts'
import { type StartDraft, WITH_DRAFT, writeLocalStart } from '../../api/start/startDraft.ts'
import { localHref, pageLocale, textAt } from '../../i18n/client.ts'
import { part } from '../../ui/part.ts'
import { focusRemove, readyPicture, showFault } from './startPicture.ts'

const API = '/api/v1'

/** Sends a body. Returns the answer, or the code of the first fault. Plain `fetch`: the typed client is 20 times larger. */
async function send(
  path: string,
  body: FormData | object,
): Promise<{ fault?: string; answer?: Record<string, string> }> {
  const isFile = body instanceof FormData
  const init = isFile ? { body } : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await fetch(API + path, { method: 'POST', ...init }).catch(() => undefined)
  if (!response) return { fault: 'network' }
  const answer = await response.json().catch(() => ({}))
  return response.ok ? { answer } : { fault: answer.errors?.[0]?.code ?? answer.code ?? 'unknown' }
}

/** Uploads a picture. Returns the answer's value, or shows at the picture why not. */
async function upload(path: string, name: string, file: Blob): Promise<string | undefined> {
  showFault()
  const form = new FormData()
  form.append('file', file)
  const { fault, answer } = await send(path, form)
  if (fault) showFault(fault)
  return answer?.[name]
}

/** Starts a member's video in the workspace. */
async function startHere(draft: StartDraft): Promise<void> {
  const { sent: file } = await readyPicture()
  const first_frame_image_url = file && (await upload('/videos/upload-image', 'image_url', file))
  if (file && !first_frame_image_url) return focusRemove(part('#start'))
  writeLocalStart({ ...draft, ...(first_frame_image_url ? { first_frame_image_url } : {}), key: newOrderKey() })
  location.assign(localHref(WITH_DRAFT))
}

function closeByClick(card: HTMLDialogElement): void {
  part('[data-close]', card).onclick = () => card.close()
  // A handler that returns false would cancel the click.
  card.onclick = (event) => {
    if (event.target === card) card.close()
  }
}

/** Asks a visitor for the address that the link is mailed to, or starts a member's video. */
export async function startVideo(draft: StartDraft): Promise<void> {
  if (document.documentElement.dataset.session === 'in') return startHere(draft)
  const card = part<HTMLDialogElement>('#start-card')
  const inCard = <E extends HTMLElement>(selector: string) => part<E>(selector, card)
  const [ask, sent, fault] = [inCard('[data-ask]'), inCard('[data-sent]'), inCard('#start-fault')]
  const input = inCard<HTMLInputElement>('#start-email')
  const [button, again] = [inCard('[type=submit]'), inCard('[data-again]')]
  const [heading, status] = [inCard('#start-heading'), inCard('[data-status]')]
  const { asking = '', done = '' } = heading.dataset
  let image: string | undefined

  const showSent = (on: boolean) => {
    ask.hidden = on
    sent.hidden = !on
    heading.textContent = on ? done : asking
    if (on) sent.focus()
    else input.focus()
  }
  const refuse = (code: string) => {
    fault.textContent = textAt(`errors.${code}`) ?? textAt('errors.unknown') ?? ''
    input.ariaInvalid = String(code !== '')
    input.focus()
  }
  const mail = async (): Promise<string | undefined> => {
    const { sent: file } = await readyPicture()
    if (!file) image = undefined
    if (file && !image) image = await upload('/auth/start/image', 'image', file)
    if (file && !image) return 'upload_failed'
    // A picture belongs to one link.
    const body = { email: input.value, language: pageLocale(), draft: { ...draft, ...(image ? { image } : {}) } }
    const answer = await send('/auth/start', body)
    if (answer.fault) return answer.fault
    image = undefined
    writeLocalStart({ ...draft, mailed: true })
    return undefined
  }
  const submit = async () => {
    if (button.ariaBusy) return
    fault.textContent = status.textContent = ''
    input.removeAttribute('aria-invalid')
    if (!input.value.trim()) return refuse('required')
    if (!input.validity.valid) return refuse('invalid_email')
    button.ariaBusy = 'true'
    const code = await mail()
    button.ariaBusy = null
    // The picture shows why.
    if (code === 'upload_failed') return focusRemove(card)
    if (code) return refuse(code)
    inCard('[data-address]').textContent = input.value.trim()
    showSent(true)
  }
  inCard<HTMLFormElement>('form').onsubmit = (event) => {
    event.preventDefault()
    void submit()
  }
  again.onclick = async () => {
    if (again.ariaBusy) return
    again.ariaBusy = 'true'
    const code = await mail()
    again.ariaBusy = null
    status.textContent = (code ? textAt(`errors.${code}`) : status.dataset.done) ?? ''
  }
  inCard('[data-another]').onclick = () => showSent(false)
  closeByClick(card)
  inCard('[data-kept]').textContent = draft.prompt ?? ''
  inCard('[data-kept]').hidden = !draft.prompt
  showSent(false)
  card.showModal()
  input.focus()
}
