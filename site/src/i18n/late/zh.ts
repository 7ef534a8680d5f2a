import errors from '#content/zh/errors.json'
import failures from '#content/zh/failures.json'
import payment from '#content/zh/payment.json'
import share from '#content/zh/share.json'
import subscription from '#content/zh/subscription.json'

export const texts = { errors, failures, payment, share, subscription }
