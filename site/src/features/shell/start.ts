import type { Notices } from '#backend/installation/contract.ts'
import { onRestored, reloadHidden } from '../../api/pages/restored.ts'
import { showTooltips } from '../../ui/tooltips.ts'
import { setUpContact, setUpDrawer, setUpLanguageLinks, setUpLogo, setUpSignOut } from './header.ts'
import { watchNetwork } from './network.ts'

// Operator pages ignore user sessions.
const isOperators = document.body.hasAttribute('data-operator')
if (isOperators) document.documentElement.dataset.session = 'out'

setUpLanguageLinks()
setUpSignOut()
setUpDrawer()
setUpLogo()
setUpContact()
watchNetwork()
showTooltips()
// The live region of the toasts is there before the first one, because screen readers announce only changes.
document.getElementById('toasts')?.showPopover()

/** Resolves once the page's island is drawn. On a slow network, the scripts below would compete with those of the island. */
const island = document.querySelector('astro-island[ssr]')
const drawn = new Promise<unknown>((resolve) =>
  island ? new MutationObserver(resolve).observe(island, { attributeFilter: ['ssr'] }) : resolve(island),
)

// On public pages, skip the session check for visitors, because it would return 401. A hint without a session is either
// out of date, and then deleted, or older than the cookie that tells about the session.
const mayBeSignedIn =
  document.documentElement.dataset.session === 'in' ||
  document.body.hasAttribute('data-private') ||
  (!isOperators && document.documentElement.dataset.hint !== undefined)
if (mayBeSignedIn) void drawn.then(() => import('./account.ts')).then((account) => account.showSession())
// A visitor's page can be restored after the sign-in: the sign-in page with the password, others with a visitor's header.
else if (!isOperators) onRestored(() => document.cookie.includes('kinora_signed_in=1') && reloadHidden())
// Islands can show toasts at any time, so preload the toaster.
if (mayBeSignedIn || document.querySelector('astro-island'))
  void drawn.then(() => import('../../ui/toasts/toaster.ts')).then((ui) => ui.showToasts())

// Small, and cached for a few seconds. Most of the time, the figures are those of the page.
if (document.querySelector('[data-claim]'))
  void fetch('/api/v1/installation')
    .then((answer) => answer.json())
    .then(async ({ figures }: Partial<Notices>) => {
      if (figures) (await import('./notices.ts')).showFigures(figures)
    })
    .catch(() => {})

// An installed app shows a page of its own without a connection.
if (matchMedia('(display-mode: standalone)').matches && 'serviceWorker' in navigator)
  void import('../../api/notices/worker.ts').then(({ registerWorker }) => registerWorker())
