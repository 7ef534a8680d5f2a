/** Copies a legal text as markdown: the one thing that these pages load after they are shown. */
const button = document.querySelector<HTMLButtonElement>('#copy')!
const said = document.querySelector<HTMLElement>('#copy-said')!
const { file = '', done = '', failed = '' } = button.dataset

async function text(): Promise<string> {
  const answer = await fetch(file)
  if (!answer.ok) throw new Error(`${file} was answered with ${answer.status}`)
  return answer.text()
}

button.addEventListener('click', async () => {
  said.textContent = ''
  try {
    await navigator.clipboard.writeText(await text())
    said.textContent = done
    said.dataset.tone = 'success'
  } catch (error) {
    console.warn(error)
    said.textContent = failed
    said.dataset.tone = 'danger'
  }
})
