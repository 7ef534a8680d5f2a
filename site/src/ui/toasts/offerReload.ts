import { translate } from '../../i18n/client.ts'
import { showToast } from './toasts.ts'

/** Offers to reload the page. After a release, the files that an open page still loads are gone. */
export function offerReload(): void {
  const t = translate()
  const link = { href: location.pathname + location.search, label: t('common.action.reload') }
  showToast('danger', t('common.partMissing'), { ms: 20_000, link })
}
