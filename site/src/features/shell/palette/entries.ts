import { listMarks, myWorks } from '#backend/tasks/contract.ts'
import { call } from '../../../api/api.ts'
import { localHref, translate } from '../../../i18n/client.ts'

export interface Entry {
  readonly label: string
  readonly run: () => void
  /** Address of a picture. */
  readonly picture?: string
}

export interface Group {
  readonly name: string
  readonly entries: readonly Entry[]
}

const FILMS = 8

const go = (href: string) => () => location.assign(href)
const press = (selector: string) => () => document.querySelector<HTMLElement>(selector)?.click()

/** Returns the pages that the header offers, and those of the account. */
export function pagesOf(): Group {
  const t = translate()
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.header-nav a')].filter(
    (link) => link.checkVisibility?.() ?? true,
  )
  const shown = links.length > 0 ? links : [...document.querySelectorAll<HTMLAnchorElement>('.drawer-nav a')]
  const pages = shown.map((link) => ({ label: link.textContent?.trim() ?? '', run: go(link.href) }))
  const account = (['profile', 'credits', 'security', 'settings'] as const).map((page) => ({
    label: page === 'profile' ? t('common.account.profile') : t(`common.palette.${page}`),
    run: go(localHref(page === 'profile' ? '/profile' : `/profile/${page}`)),
  }))
  return { name: t('common.palette.pages'), entries: [...pages, ...account] }
}

export function actionsOf(): Group {
  const t = translate()
  return {
    name: t('common.palette.actions'),
    entries: [
      { label: t('common.palette.create'), run: go(localHref('/workspace')) },
      { label: t('common.palette.join'), run: go(`${localHref('/library')}?join=new`) },
      { label: t('common.palette.language'), run: press('a[data-language]:not([aria-current])') },
      { label: t('common.account.logout'), run: press('[data-logout]') },
    ],
  }
}

/** Returns the user's folders; none while the server is unreachable. */
export async function loadFolders(): Promise<Group> {
  const { marks } = await call(listMarks).catch(() => ({ marks: [] }))
  const names = [...new Set(marks.flatMap(({ folder }) => folder ?? []))].sort()
  return {
    name: translate()('common.palette.folders'),
    entries: names.map((label) => ({ label, run: go(`${localHref('/library')}?folder=${encodeURIComponent(label)}`) })),
  }
}

/** Returns the newest films whose prompt contains a text. */
export async function searchFilms(text: string): Promise<readonly Entry[]> {
  const query = { page: 1, per_page: FILMS, ...(text ? { q: text } : {}) }
  const { tasks } = await call(myWorks, { query }).catch(() => ({ tasks: [] }))
  return tasks.map(({ id, prompt, thumbnail_url: picture }) => ({
    label: prompt || translate()('common.palette.untitled'),
    run: go(`${localHref('/library')}?film=${id}`),
    ...(picture ? { picture } : {}),
  }))
}
