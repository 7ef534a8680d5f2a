import { part } from '../../ui/part.ts'

/** Copies the legal document to the clipboard as Markdown. */
const button = part('#copy')
const message = part('#copy-said')
const { file = '', done = '', failed = '' } = button.dataset

async function text(): Promise<string> {
  const answer = await fetch(file)
  if (!answer.ok) throw new Error(`${file}: status ${answer.status}`)
  return answer.text()
}

button.addEventListener('click', async () => {
  message.textContent = ''
  try {
    await navigator.clipboard.writeText(await text())
    message.textContent = done
    message.dataset.tone = 'success'
  } catch (error) {
    console.warn('legal text not copied', error)
    message.textContent = failed
    message.dataset.tone = 'danger'
  }
})
