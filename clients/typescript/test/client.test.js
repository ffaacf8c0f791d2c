// Run against a real server: BETHINK_URL and BETHINK_KEY say where; BETHINK_CLIENT is the built module.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test from "node:test";

const { BETHINK_URL, BETHINK_KEY, BETHINK_CLIENT } = process.env;
const { Bethink, BethinkError } = await import(BETHINK_CLIENT ?? "../dist/index.js");
const memory = new Bethink(`${BETHINK_URL}/`, { key: BETHINK_KEY });

test("what is remembered is recalled", async () => {
  const made = await memory.remember("Anna is allergic to peanuts 🥜", { tags: ["health"] });
  assert.equal(made.status, "stored");
  const again = await memory.remember("Anna is allergic to peanuts 🥜");
  assert.equal(again.status, "duplicate");
  const found = await memory.recall("what is Anna allergic to?", { limit: 1 });
  assert.equal(found.hits[0].id, made.id);
  const read = await memory.request("GET /api/memory/{id}", { path: { id: made.id } });
  assert.deepEqual(read.tags, ["health"]);
  assert.equal(await memory.request("DELETE /api/memory/{id}", { path: { id: made.id } }).then(() => true), true);
});

test("what is observed is in its conversation, once, whatever the conversation is called", async () => {
  const said = [{ role: "user", content: "I live in Lisbon", id: "1" }];
  const first = await memory.observe("chat/with a slash?", said);
  assert.equal(first.outcomes[0].status, "stored");
  const again = await memory.observe("chat/with a slash?", said);
  assert.equal(again.outcomes[0].status, "duplicate");
});

test("a prompt has what is known, and nothing for a greeting", async () => {
  await memory.request("PUT /api/facts", { body: { category: "home", key: "city", value: "Lisbon" } });
  const prompt = await memory.prompt("Where do I live?");
  assert.match(prompt.text, /Lisbon/);
  assert.doesNotMatch((await memory.prompt("hi")).volatile, /Relevant Memory/);
});

test("another program's messages are shown before they are stored", async () => {
  const seen = await memory.ingest("bot", { id: 1, session: "s", content: "hi" }, { dryRun: true });
  assert.deepEqual([seen.dryRun, seen.stored, seen.messages[0].role], [true, 1, "contact"]);
});

test("what the server refuses is an error with its problem document", async () => {
  await assert.rejects(memory.request("GET /api/memory/{id}", { path: { id: "absent" } }), (error) => {
    assert.ok(error instanceof BethinkError);
    assert.deepEqual([error.status, error.problem.title], [404, "There is no such thing"]);
    return true;
  });
  await assert.rejects(memory.remember(""), (error) => error.status === 422 && error.field === "content");
  const stranger = new Bethink(BETHINK_URL, { key: "wrong" });
  await assert.rejects(stranger.recall("x"), (error) => error.status === 401);
});

test("a server that is not there, and an address that is none", async () => {
  const nowhere = new Bethink("http://127.0.0.1:1");
  await assert.rejects(nowhere.recall("x"), (error) => error.status === 0 && /cannot be reached/.test(error.message));
  assert.throws(() => new Bethink("localhost:8420"), TypeError);
});

test("an answer that takes too long is given up on", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const client = new Bethink(`http://127.0.0.1:${silent.address().port}`, { timeoutMs: 50 });
  await assert.rejects(client.recall("x"), /did not answer in time/);
  silent.closeAllConnections();
  silent.close();
});
