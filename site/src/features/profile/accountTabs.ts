/** The tabs of the account, in order. Each is a page of its own. */
export const TABS = {
  overview: '/profile',
  billing: '/profile/billing',
  credits: '/profile/credits',
  teams: '/profile/teams',
  security: '/profile/security',
  developers: '/profile/developers',
  settings: '/profile/settings',
} as const
export type Tab = keyof typeof TABS

/** Tabs of the sections that were on the overview when the account was one page. */
const MOVED: ReadonlyMap<string, Exclude<Tab, 'overview'>> = new Map([
  ['billing', 'billing'],
  ['credits', 'credits'],
  ['security', 'security'],
  ['two-step', 'security'],
  ['password', 'security'],
  ['devices', 'security'],
  ['settings', 'settings'],
  ['language', 'settings'],
  ['notices', 'settings'],
  ['delete-account', 'settings'],
])

/**
 * Returns the English path that replaces an address of the overview, or undefined. Mailed links that confirm a deletion
 * carry a token and used to open the overview.
 */
export function movedPath({ hash, search }: Pick<Location, 'hash' | 'search'>): string | undefined {
  if (new URLSearchParams(search).has('token')) return TABS.settings + search
  const section = hash.slice(1)
  const tab = MOVED.get(section)
  return tab && TABS[tab] + hash
}
