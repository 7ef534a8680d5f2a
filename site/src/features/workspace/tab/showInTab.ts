import { computed } from 'nanostores'
import { $polling } from '../realtime.ts'
import { $tasks } from '../tasks.ts'
import { tabIcon, tabProgress, tabTitle } from './tabProgress.ts'

const $progress = computed([$tasks, $polling], ({ tasks }, polling) => (polling ? null : tabProgress(tasks)))

/** Shows the progress in the title and the icon of the tab. Returns a function that stops. */
export function showInTab(): () => void {
  const title = document.title
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const own = icon?.getAttribute('href') ?? ''
  return $progress.subscribe((percent) => {
    document.title = tabTitle(title, percent)
    icon?.setAttribute('href', percent === null ? own : tabIcon(percent))
  })
}
