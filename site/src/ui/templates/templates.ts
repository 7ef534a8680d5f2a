import { atom } from 'nanostores'
import { listTemplates, type Template } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'

/** Prompts to start from; null until they are loaded. */
export const $templates = atom<readonly Template[] | 'failed' | null>(null)

let loading: Promise<void> | undefined
/** Loads the templates, once per page; again after a failure. Without them the page works as well. */
export function loadTemplates(): Promise<void> {
  loading ??= call(listTemplates).then(
    (templates) => $templates.set(templates),
    () => {
      loading = undefined
      $templates.set('failed')
    },
  )
  return loading
}
