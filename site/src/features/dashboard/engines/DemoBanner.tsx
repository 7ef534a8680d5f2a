import { useStore } from '@nanostores/react'
import { translate } from '../../../i18n/client.ts'
import { Notice } from '../../../ui/Notice.tsx'
import { engines } from '../board.ts'

/** Leads from the top of the board to the wizard while all videos are drawings. */
export function DemoBanner() {
  const t = translate()
  const { data } = useStore(engines.$section)
  if (!data?.demo) return null
  return (
    <Notice tone="info">
      {t('dashboard.engines.demo')}{' '}
      <a className="link" href="#engines">
        {t('dashboard.engines.connect')}
      </a>
    </Notice>
  )
}
