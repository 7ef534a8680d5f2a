/** `/?section=pricing` scrolls to the plans once the page has settled. */
const SETTLED_MS = 500

if (new URLSearchParams(location.search).get('section') === 'pricing')
  setTimeout(() => document.getElementById('pricing-section')?.scrollIntoView(), SETTLED_MS)
