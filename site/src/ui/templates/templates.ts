import { atom } from 'nanostores'
import { listTemplates, type Template } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { once } from '../../api/once.ts'

/** Prompts to start from; null until they are loaded. */
export const $templates = atom<readonly Template[] | null>(null)

/** Loads the templates, once per page. Without them the page works as well. */
export const loadTemplates = once(async () => {
  $templates.set(await call(listTemplates).catch(() => []))
})
