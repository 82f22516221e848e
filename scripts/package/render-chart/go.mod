module acuse/render-chart

go 1.22
