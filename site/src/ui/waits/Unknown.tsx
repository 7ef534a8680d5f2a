import { translate } from '../../i18n/client.ts'

/** Shows a figure that is not known, which must not read as zero. */
export const Unknown = () => (
  <>
    <span aria-hidden="true">–</span>
    <span className="sr-only">{translate()('common.unknown')}</span>
  </>
)
