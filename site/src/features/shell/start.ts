import { setUpContact, setUpDrawer, setUpLanguageLinks, setUpLogo } from './header.ts'
import { watchNetwork } from './network.ts'
import { countVisits } from './visits.ts'

// Operator pages ignore user sessions.
if (document.body.hasAttribute('data-operator')) document.documentElement.dataset.session = 'out'

setUpLanguageLinks()
setUpDrawer()
setUpLogo()
setUpContact()
watchNetwork()

// On public pages, skip the session check for visitors without a stored hint, because it would return 401.
const mayBeSignedIn = document.documentElement.dataset.session === 'in' || document.body.hasAttribute('data-private')
if (mayBeSignedIn) void import('./account.ts').then((account) => account.showSession())
// Islands can show toasts at any time, so preload the toaster.
if (mayBeSignedIn || document.querySelector('astro-island'))
  void import('../../ui/toaster.ts').then((ui) => ui.showToasts())

// Record the visit after the page has loaded, so that the request does not compete with it.
if (document.readyState === 'complete') countVisits()
else addEventListener('load', countVisits)
