import { useEffect, useState } from 'react'
import type { Provider } from '#backend/accounts/contract.ts'
import { goToProvider } from '../../api/account.ts'
import { readProviders } from '../../api/start/providers.ts'
import { translate } from '../../i18n/client.ts'
import type { Locale } from '../../i18n/core.ts'
import { Button } from '../../ui/Button.tsx'
import { ProviderMark } from '../../ui/ProviderMark.tsx'

/** Offers the sign-ins of other services, if there are any. The style sheet keeps their place until the script runs. */
export function ProviderButtons({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const [providers, setProviders] = useState<readonly Provider[]>([])
  useEffect(() => setProviders(readProviders()), [])
  return (
    <div className="stack auth-providers">
      {providers.map((provider) => (
        <Button key={provider.id} variant="outline" size="large" wide onClick={() => goToProvider(provider.id)}>
          <ProviderMark {...provider} />
          {t('auth.provider.with', { name: provider.name })}
        </Button>
      ))}
      {providers.length > 0 && <p className="auth-or line muted small">{t('auth.provider.or')}</p>}
    </div>
  )
}
