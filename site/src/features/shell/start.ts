import { followContact, followDrawer, followLanguage, followLogo } from './header.ts'
import { followNetwork } from './network.ts'
import { countVisits } from './visits.ts'

// The operator's pages know no member, whoever else is signed in here.
if (document.body.hasAttribute('data-operator')) document.documentElement.dataset.session = 'out'

followLanguage()
followDrawer()
followLogo()
followContact()
followNetwork()

// Visitors without a remembered session are not asked about one on open pages: it would only be a 401 on each of them.
const mayBeSignedIn = document.documentElement.dataset.session === 'in' || document.body.hasAttribute('data-private')
if (mayBeSignedIn) void import('./account.ts').then((account) => account.followSession())
// Islands show messages of their own accord.
if (mayBeSignedIn || document.querySelector('astro-island'))
  void import('../../ui/toaster.ts').then((ui) => ui.showToasts())

// After everything that the reader waits for.
if (document.readyState === 'complete') countVisits()
else addEventListener('load', countVisits)
