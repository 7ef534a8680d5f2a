import errors from '#content/en/errors.json'
import failures from '#content/en/failures.json'
import payment from '#content/en/payment.json'
import share from '#content/en/share.json'
import subscription from '#content/en/subscription.json'

export const texts = { errors, failures, payment, share, subscription }
