/** The page at `/`: the playground, and the dashboard at its hash routes. */
import { render } from "preact";
import { takeKeyFromAddress } from "./api/key.ts";
import { App } from "./app.tsx";
import "./styles/site.css";

takeKeyFromAddress();
const main = document.querySelector("#main");
if (main === null) throw new Error("the page has no #main");
main.replaceChildren();
render(<App />, main);
