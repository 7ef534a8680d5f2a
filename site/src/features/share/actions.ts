import { keepVisitorDraft } from '../../api/draft.ts'
import { keepRemixPicture } from '../../api/start/remixPicture.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { lazyToast } from '../../ui/toasts/lazyToast.ts'

// The form opens with this film's settings, after signing up if need be.
const remix = document.querySelector<HTMLAnchorElement>('[data-remix]')
remix?.addEventListener('click', () => {
  keepVisitorDraft(document.getElementById('remix')?.textContent ?? 'null')
  if (document.documentElement.dataset.session === 'in') return
  // The page that asks for a sign-in says what for.
  keepRemixPicture(remix.dataset.remix ?? '')
  remix.href = `${localHref('/auth/login')}?next=${encodeURIComponent(remix.pathname)}#remix`
})

document.querySelector('[data-copy]')?.addEventListener('click', async () => {
  const t = translate()
  const isCopied = await navigator.clipboard.writeText(location.href).then(
    () => true,
    () => false,
  )
  void lazyToast(isCopied ? 'success' : 'info', t(isCopied ? 'share.copied' : 'share.copyFailed'))
})

document.querySelector<HTMLFormElement>('[data-report]')?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.currentTarget as HTMLFormElement
  const answer = await fetch(`/api/v1/shares/${form.dataset.report}/report`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: new FormData(form).get('reason') }),
  }).catch(() => undefined)
  form.hidden = answer?.ok === true
  const said = document.querySelector('[data-reported]')
  if (said) said.textContent = translate()(answer?.ok ? 'share.reportSent' : 'share.reportFailed')
})
