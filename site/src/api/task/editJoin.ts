import { localHref } from '../../i18n/client.ts'

/** Opens the editor of joined films in the library, with the clips of a joined film. */
export async function editJoin(taskId: string): Promise<void> {
  location.assign(`${localHref('/library')}?join=${taskId}`)
}
