/// <reference types="vite/client" />
declare module "uplot/dist/uPlot.min.css";
