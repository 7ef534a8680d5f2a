import { lazy, Suspense, useState } from 'react'
import { localHref, translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'

const TemplatesDialog = lazy(async () => ({
  default: (await import('../../ui/templates/TemplatesDialog.tsx')).TemplatesDialog,
}))

/** Opens the templates. The chosen one fills the form of the workspace. */
export function TemplatesButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="outline"
        icon="film"
        label={translate()('common.templates.heading')}
        onClick={() => setOpen(true)}
      />
      <Suspense>
        {open && (
          <TemplatesDialog
            onChoose={({ id }) => location.assign(localHref(`/workspace?template=${encodeURIComponent(id)}`))}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  )
}
