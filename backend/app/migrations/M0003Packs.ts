import { Migration } from '@mikro-orm/migrations'

/** Packs of credits: their orders, sales and, in the sandbox, payments. */
export class M0003Packs extends Migration {
  override up(): void {
    this.addSql(`
      alter table current_subscription add column open_orders jsonb not null default '[]';
      alter table invoice alter column tier drop not null, add column pack text;
      create table sandbox_order (
        id text primary key, request_id text not null unique, user_id uuid not null, title text not null,
        amount_cents int not null, status text not null, return_url text not null, cancel_url text not null,
        language text not null
      );
      alter table sandbox_sale alter column agreement_id drop not null,
        add column order_id text unique references sandbox_order (id);
    `)
  }
}
